"""The paper's tables and figures: predicted with Abel's parameters, measured and predicted here."""
