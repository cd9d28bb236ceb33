/** `command` is how the command is called. */
export const interruptedText = (id: string, command: string): string =>
  `Workflow ${id} was interrupted: the process that ran it was ended. It is canceled now; "${command} run --from-failed ${id}" runs what is left of it.\n`;
