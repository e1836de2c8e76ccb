// the libraries consist of the objects they link
typedef int cf_empty;
