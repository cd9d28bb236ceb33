/**
 * Node's HTTP modules, taken without an `import` of their values: that reads every name they export, and some of these names load
 * a second HTTP client, which costs every process 10 MiB.
 */
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
