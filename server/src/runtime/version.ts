/** Version of the server; a test compares it with the package's. */
export const SERVER_VERSION = '0.1.0';
