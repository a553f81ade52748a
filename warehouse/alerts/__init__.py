"""Evaluation of alert rules, in columns: readings, whether they breach the rules, and when a rule fires. The pipelines
evaluate all rules with it, the API shows when a rule would have fired."""
