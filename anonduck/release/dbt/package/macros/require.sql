{#- A post-hook that lets a model fail whose table has a class of fewer than k records.

    It runs inside the transaction that puts the table in place, where the adapter has one: the old table stays. What is
    not given is taken from ``meta.anonduck`` of the model: ``k``, ``quasi_identifiers``. -#}
{% macro anonduck_require_k(k=none, quasi_identifiers=none, others=[]) %}
    {%- if execute -%}
        {%- set meta = anonduck.anonduck_meta() -%}
        {%- set least = k if k is not none else meta.get('k') -%}
        {%- set columns = quasi_identifiers if quasi_identifiers is not none or others else meta.get('quasi_identifiers') -%}
        {%- do anonduck.anonduck_refuse('k', least, anonduck.anonduck_k_shortfall(this, least, columns, others)) -%}
    {%- endif -%}
{% endmacro %}


{#- The same of a sensitive column of which a class has fewer than l values. -#}
{% macro anonduck_require_l(column, l, quasi_identifiers=none, others=[]) %}
    {%- if execute -%}
        {%- set meta = anonduck.anonduck_meta() -%}
        {%- set columns = quasi_identifiers if quasi_identifiers is not none or others else meta.get('quasi_identifiers') -%}
        {%- do anonduck.anonduck_refuse('l', l, anonduck.anonduck_l_shortfall(this, column, l, columns, others)) -%}
    {%- endif -%}
{% endmacro %}


{%- macro anonduck_meta() -%}
    {{ return((model.config.meta or {}).get('anonduck', {})) }}
{%- endmacro -%}


{#- Let the model fail where the one row of a query counts a class that falls short. -#}
{%- macro anonduck_refuse(name, required, query) -%}
    {%- if required is none -%}
        {%- do exceptions.raise_compiler_error("anonduck: say what is required of " ~ this ~ ", such as k=5") -%}
    {%- endif -%}
    {%- set row = run_query(query).rows[0] -%}
    {%- if row[0] | int > 0 -%}
        {%- do exceptions.raise_compiler_error(
            "anonduck: " ~ this ~ " reaches " ~ name ~ " = " ~ row[2] ~ ", under the required " ~ required ~ ": "
            ~ row[0] ~ " classes with " ~ row[1] ~ " records fall short"
        ) -%}
    {%- endif -%}
{%- endmacro -%}
