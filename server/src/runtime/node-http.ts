/**
 * Node's HTTP modules without an `import` of their values. An import reads all exports, and some load a second HTTP client, which
 * costs every process 10 MiB.
 */
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
