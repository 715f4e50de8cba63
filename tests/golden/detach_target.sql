DETACH "target"
