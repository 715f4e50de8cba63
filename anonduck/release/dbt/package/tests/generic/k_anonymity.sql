{#- Each class of a model has at least k records. What fails is counted, and no class is shown, also where failures are
    stored. Classes are told by ``quasi_identifiers``; without them by all columns but ``others``. -#}
{% test k_anonymity(model, k, quasi_identifiers=none, others=[]) %}
    {{ config(fail_calc="coalesce(sum(failing_classes), 0)") }}
    {%- if execute -%}
    select failing_classes, failing_records, reached
    from ({{ anonduck.anonduck_k_shortfall(model, k, quasi_identifiers, others) }}) as shortfall
    where failing_classes > 0
    {%- endif -%}
{% endtest %}
