{#- Each class of a model has at least l values in a sensitive column, among which NULL is one. What fails is counted, and
    no class is shown, also where failures are stored. Classes are told by ``quasi_identifiers``; without them by all
    columns but this one and ``others``. -#}
{% test l_diversity(model, column_name, l, quasi_identifiers=none, others=[]) %}
    {{ config(fail_calc="coalesce(sum(failing_classes), 0)") }}
    {%- if execute -%}
    select failing_classes, failing_records, reached
    from ({{ anonduck.anonduck_l_shortfall(model, column_name, l, quasi_identifiers, others) }}) as shortfall
    where failing_classes > 0
    {%- endif -%}
{% endtest %}
