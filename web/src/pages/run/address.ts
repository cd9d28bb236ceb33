/** The address of a page of a run: it has what is chosen on the page. */
import { useNavigate } from '@tanstack/react-router';

/** Sets parameters of the address of this page; undefined removes one. */
export function useAddress() {
  const navigate = useNavigate();
  return (change: Readonly<Record<string, string | undefined>>, { replace = true } = {}) =>
    navigate({
      to: '.',
      search: (before: Readonly<Record<string, string | undefined>>) => ({ ...before, ...change }),
      replace,
      resetScroll: false,
    });
}
