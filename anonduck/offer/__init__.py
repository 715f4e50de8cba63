"""The offer: rules and other recodings, measured alike, from which the owner of the data chooses."""
