export const interruptedText = (id: string): string =>
  `Workflow ${id} was interrupted: the process that ran it was ended. It is canceled now.\n`;
