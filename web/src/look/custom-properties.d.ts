/** Styles may set custom properties. */
import 'react';

declare module 'react' {
  interface CSSProperties {
    readonly [name: `--${string}`]: string | number | undefined;
  }
}
