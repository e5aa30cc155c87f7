function main() { return undefined; }
