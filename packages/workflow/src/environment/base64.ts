/** Base64 of a text in UTF-8, with what browsers and servers both have. */

import { bytesOf } from './decoded-views.ts';

export const encodeBase64 = (text: string): string => btoa(bytesOf(text));
