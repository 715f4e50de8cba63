{#- The classes of a relation that have fewer than k records: how many there are, with how many records, and the k that is
    reached. One row, with counts alone; NULL is a value of its own. -#}
{% macro anonduck_k_shortfall(relation, k, quasi_identifiers=none, others=[]) %}
    {%- set keys = anonduck.anonduck_class_keys(relation, quasi_identifiers, others) -%}
    select
        coalesce(sum(case when class_records < {{ k | int }} then 1 else 0 end), 0) as failing_classes,
        coalesce(sum(case when class_records < {{ k | int }} then class_records else 0 end), 0) as failing_records,
        coalesce(min(class_records), 0) as reached
    from (
        select count(*) as class_records
        from {{ relation }}
        {% if keys %}group by {{ keys | join(', ') }}{% else %}having count(*) > 0{% endif %}

    ) as classes
{% endmacro %}


{#- The same of classes with fewer than l values in a sensitive column, among which NULL is one. -#}
{% macro anonduck_l_shortfall(relation, column, l, quasi_identifiers=none, others=[]) %}
    {%- set keys = anonduck.anonduck_class_keys(relation, quasi_identifiers, [column] + others) -%}
    {%- set held = adapter.get_columns_in_relation(relation) | map(attribute='name') | list -%}
    {%- set sensitive = anonduck.anonduck_quoted(anonduck.anonduck_held_column(held, column, relation)) -%}
    select
        coalesce(sum(case when class_values < {{ l | int }} then 1 else 0 end), 0) as failing_classes,
        coalesce(sum(case when class_values < {{ l | int }} then class_records else 0 end), 0) as failing_records,
        coalesce(min(class_values), 0) as reached
    from (
        select
            count(*) as class_records,
            count(distinct {{ anonduck.anonduck_by_bytes(sensitive) }}) + max(case when {{ sensitive }} is null then 1 else 0 end) as class_values
        from {{ relation }}
        {% if keys %}group by {{ keys | join(', ') }}{% else %}having count(*) > 0{% endif %}

    ) as classes
{% endmacro %}
