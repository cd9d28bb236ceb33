/** Version of this command line; a test compares it with the package's. */
export const CLI_VERSION = '0.1.0';
