/** Full names of tests as .NET has them: `Acme.Shop.CartTest.Adds(price: 1.5)`. */

export interface DottedName {
  readonly suite: string | null;
  readonly name: string;
}

/** The class and the rest. Where the class is not known, the last dot in front of the arguments ends it. */
export function splitDotted(full: string, className = ''): DottedName {
  if (className !== '') {
    const isWithClass = full.startsWith(`${className}.`);
    return { suite: className, name: isWithClass ? full.slice(className.length + 1) : full };
  }
  const args = full.search(/[(<"]/);
  const at = full.slice(0, args < 0 ? full.length : args).lastIndexOf('.');
  return at > 0 && at < full.length - 1
    ? { suite: full.slice(0, at), name: full.slice(at + 1) }
    : { suite: null, name: full };
}
