"""The demonstration `rubric`: a simulation of rated responses whose true values are known."""
