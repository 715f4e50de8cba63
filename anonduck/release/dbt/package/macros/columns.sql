{#- The columns that tell a class of a relation: those that are named, else all but ``others``.

    A name is matched as it is, else whatever its case; the list holds the quoted names of the relation. -#}
{% macro anonduck_class_columns(relation, quasi_identifiers=none, others=[]) %}
    {%- set held = adapter.get_columns_in_relation(relation) | map(attribute='name') | list -%}
    {%- set found = [] -%}
    {%- if quasi_identifiers is none -%}
        {%- set apart = [] -%}
        {%- for name in others -%}{%- do apart.append(anonduck.anonduck_held_column(held, name, relation)) -%}{%- endfor -%}
        {%- for name in held if name not in apart -%}{%- do found.append(anonduck.anonduck_quoted(name)) -%}{%- endfor -%}
    {%- else -%}
        {%- for name in quasi_identifiers -%}
            {%- do found.append(anonduck.anonduck_quoted(anonduck.anonduck_held_column(held, name, relation))) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{#- The name of a column as the relation has it. -#}
{% macro anonduck_held_column(held, name, relation) %}
    {%- if name in held -%}{{ return(name) }}{%- endif -%}
    {%- set alike = [] -%}
    {%- for one in held if one | lower == name | lower -%}{%- do alike.append(one) -%}{%- endfor -%}
    {%- if alike | length != 1 -%}
        {%- do exceptions.raise_compiler_error(
            "anonduck: " ~ relation ~ " has no column " ~ name ~ "; its columns are " ~ held | join(', ')
        ) -%}
    {%- endif -%}
    {{ return(alike[0]) }}
{% endmacro %}


{#- A name in the quotes of the adapter, those in it doubled. -#}
{% macro anonduck_quoted(name) %}
    {%- set mark = adapter.quote('x')[0] -%}
    {{ return(adapter.quote(name | replace(mark, mark ~ mark))) }}
{% endmacro %}


{#- What of these columns a class is told by. -#}
{% macro anonduck_class_keys(relation, quasi_identifiers=none, others=[]) %}
    {%- set keys = [] -%}
    {%- for column in anonduck.anonduck_class_columns(relation, quasi_identifiers, others) -%}
        {%- do keys.append(anonduck.anonduck_by_bytes(column)) -%}
    {%- endfor -%}
    {{ return(keys) }}
{% endmacro %}


{#- The value of a column that classes are told apart by: of a text its bytes, whatever collation its column or the database has. -#}
{% macro anonduck_by_bytes(column) %}
    {%- if target.type == 'postgres' -%}{{ return('cast(' ~ column ~ ' as text) collate "C"') }}
    {%- elif target.type == 'duckdb' -%}{{ return('cast(' ~ column ~ ' as varchar) collate C') }}
    {%- endif -%}
    {{ return(column) }}
{% endmacro %}
