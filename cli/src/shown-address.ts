/** Addresses as they are shown: never with the name and the password that somebody wrote into them. */

/** An address without its credentials, also one that is malformed. */
export function shownAddress(address: string): string {
  const end = address.lastIndexOf('@');
  if (end === -1) return address;
  const [scheme = ''] = /^[a-z][a-z\d+.-]*:\/*/i.exec(address.slice(0, end)) ?? [];
  return `${scheme.includes('/') ? scheme : ''}${address.slice(end + 1)}`;
}

/** A text in which the addresses have no credentials. */
export const withoutCredentials = (text: string): string =>
  text.replace(/(:\/\/)[^\s"'<>/?#]*@/g, '$1');

export const hasCredentials = (address: string): boolean => {
  const url = URL.parse(address);
  return url !== null && `${url.username}${url.password}` !== '';
};
