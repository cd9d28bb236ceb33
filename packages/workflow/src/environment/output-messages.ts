/** Log lines about failed workflow commands and about results. Each is written once (wire facts part 5). */
export const outputMessages = {
  artifactsNotSent: (path: string, why: string) =>
    `ERROR,Could not send artifacts to remote path "${path}": ${why}.`,
  commandTooLong: (limit: number) =>
    `ERROR,Workflow command ignored: it is longer than ${limit} characters.`,
  errorInvalid: (why: string) => `The details of an error cannot be read: ${why}`,
  fileAndPattern: () => 'ERROR,Cannot specify both "file" and "pattern".',
  fileNotRead: (path: string, why: string) => `ERROR,Could not read ${path}: ${why}.`,
  fileNotSent: (file: string, path: string, why: string) =>
    `ERROR,Could not send file "${file}" to remote path "${path}": ${why}.`,
  noArtifact: () => 'ERROR,No artifact matching requested name/pattern found.',
  offerInvalid: (why: string) => `WARNING,The offer of an environment cannot be understood: ${why}`,
  pathMissing: (command: string) => `ERROR,The workflow command ::${command} lacks its path.`,
  parameterInvalid: (piece: string) => `ERROR,Invalid workflow command parameter: ${piece}.`,
  parameterEmpty: (name: string) => `ERROR,The workflow command parameter "${name}" is empty.`,
  parameterMisspelt: (name: string, command: string, meant: string) =>
    `WARNING,The parameter "${name}" of the workflow command ::${command} does nothing. Did you mean "${meant}"?`,
  parameterUnknown: (name: string, command: string, nearest: string | null) =>
    `ERROR,Unknown parameter "${name}" of the workflow command ::${command}${nearest === null ? '.' : `, did you mean "${nearest}"?`}`,
  reportTypeUnknown: (path: string, type: string, meant: string) =>
    `WARNING,No test results are read of ${path}, as nothing reads the type "${type}". Did you mean "${meant}"?`,
  resultInvalid: (why: string) =>
    `ERROR,The result of the environment cannot be understood: ${why}`,
  resourceUnknown: (name: string) => `ERROR,Invalid "resources.files" reference "${name}".`,
  reportsAbsent: (count: number) =>
    count === 1 ? 'There is no such file.' : 'There are no such files.',
  reportsBeyond: (count: number) =>
    `${count === 1 ? 'It was' : 'They were'} not attached, as there were too many files.`,
  reportsUnread: (count: number, why: string) =>
    count === 1 ? `It could not be read: ${why}.` : 'They could not be read.',
  tagsMissing: (tags: readonly string[]) =>
    `This machine does not offer ${tags.length === 1 ? 'the tag' : 'the tags'} ${tags.map((tag) => `"${tag}"`).join(', ')}. If it has what the job needs, add --tags ${tags.join(',')}; or name a server with --server.`,
  tooManyArtifacts: (path: string, count: number, limit: number) =>
    `ERROR,File ${andMore(path, count)} ignored: the steps of a workflow may upload at most ${limit} files.`,
  tooManyMasks: (limit: number) =>
    `ERROR,Mask ignored: a job may have at most ${limit} masks. The text is shown if it is printed.`,
  masksTooLong: (limit: number) =>
    `ERROR,Mask ignored: the masks of a job may have at most ${limit} characters in all. The text is shown if it is printed.`,
  maskTooLong: (limit: number) =>
    `ERROR,Mask ignored: it is longer than ${limit} characters. The text is shown if it is printed.`,
  tooManyOutputs: (name: string, limit: number) =>
    `ERROR,Output "${name}" ignored: a step may have at most ${limit} outputs.`,
  outputsTooLong: (name: string, limit: number) =>
    `ERROR,Output "${name}" ignored: the outputs of a step may have at most ${limit} characters in all.`,
  tooManyTransfers: (path: string, count: number, limit: number) =>
    `ERROR,File ${andMore(path, count)} ignored: a step may attach or transfer at most ${limit} files.`,
  tooManyVersions: (limit: number) =>
    `ERROR,Version ignored: a step may name at most ${limit} versions.`,
  versionTooLong: (limit: number) =>
    `ERROR,Version ignored: it is longer than ${limit} characters.`,
  variableUnseen: (name: string) =>
    `Scripts do not see the variable "${name}": on this system no name of one begins with a digit. Expressions do.`,
} as const;

const andMore = (path: string, count: number): string =>
  count === 1 ? path : `${path} and ${count - 1} more`;
