/** Goes to an address of the page that is only known as a text. */
import { useRouter } from '@tanstack/react-router';

/** The function takes a path with its search part, without the prefix of the server. */
export function useGo(): (path: string, isReplaced?: boolean) => void {
  const { history, basepath } = useRouter();
  return (path, isReplaced = false) => {
    const place = `${basepath.replace(/\/$/, '')}${path}`;
    if (isReplaced) history.replace(place);
    else history.push(place);
  };
}
