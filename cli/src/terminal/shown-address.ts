/** Formats addresses without name, password or query. */

/** An address without its credentials, even if malformed. The query may contain a token. */
export function shownAddress(address: string): string {
  const end = address.lastIndexOf('@');
  const [scheme = ''] = /^[a-z][a-z\d+.-]*:\/*/i.exec(address.slice(0, Math.max(0, end))) ?? [];
  const shown = `${scheme.includes('/') ? scheme : ''}${address.slice(end + 1)}`;
  return shown.replace(/[?#].*/s, '');
}

/** A text in which the addresses have no credentials. */
export const withoutCredentials = (text: string): string =>
  text.replace(/(:\/\/)[^\s"'<>/?#]*@/g, '$1');

/** True for an address without credentials and without a query. */
export const isPlainAddress = (address: string): boolean => {
  const url = URL.parse(address);
  return !/[?#]/.test(address) && `${url?.username ?? ''}${url?.password ?? ''}` === '';
};
