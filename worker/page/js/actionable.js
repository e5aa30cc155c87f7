function main() { return target(); }
