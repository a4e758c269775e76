"""One module per table or figure of the papers, the paper's number beside ours."""
