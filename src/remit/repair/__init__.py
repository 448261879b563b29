"""From a flawed draft straight to a short corrective plan (RePAIR), inside the same scope and budget."""
