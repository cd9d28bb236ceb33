/** The version of this command line; a test holds it to the package's. */
export const CLI_VERSION = '0.1.0';
