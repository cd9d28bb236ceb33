/** The frame of every page: navigation, the live state, and the place of the page. */
import { Link, Outlet, useMatch } from '@tanstack/react-router';
import {
  Activity,
  CirclePlay,
  FlaskConical,
  ListOrdered,
  Search,
  Server,
  UserRound,
  Workflow,
} from 'lucide-react';
import { Suspense, useCallback, useState } from 'react';
import { useLiveLists } from '../data/lists.ts';
import { useSession } from '../data/session.ts';
import { Button } from '../parts/button.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { useCopied } from '../parts/use-copied.ts';
import styles from './frame.module.css';
import { usePageKeys } from './keys.ts';
import { LiveMark } from './live-mark.tsx';

const KeyHelp = lazyPart(() => import('./key-help.tsx'), 'KeyHelp');
const Palette = lazyPart(() => import('./palette.tsx'), 'Palette');

const PLACES = [
  { to: '/', name: 'Now', Icon: Activity },
  { to: '/runs', name: 'Runs', Icon: CirclePlay },
  { to: '/tests', name: 'Tests', Icon: FlaskConical },
  { to: '/queue', name: 'Queue', Icon: ListOrdered },
  { to: '/environments', name: 'Environments', Icon: Server },
  { to: '/workflows', name: 'Workflows', Icon: Workflow },
] as const;

type Layer = 'keys' | 'palette';

export function Frame() {
  const session = useSession();
  const [layer, setLayer] = useState<Layer | null>(null);
  const [isCopied, copy] = useCopied();
  const close = useCallback(() => setLayer(null), []);
  usePageKeys(
    { '?': () => setLayer('keys'), y: () => copy(location.href) },
    useCallback(() => setLayer('palette'), []),
  );
  return (
    <>
      <LiveLists />
      <a className={styles.skip} href="#main">
        To the content
      </a>
      <header className={styles.bar}>
        <Link to="/" className={styles.brand}>
          <img src={new URL('icon.svg', document.baseURI).href} alt="" width={24} height={24} />
          Tutti
        </Link>
        <nav aria-label="Pages" className={styles.places}>
          {PLACES.map(({ to, name, Icon }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === '/' }}
              activeProps={{ 'aria-current': 'page' }}
            >
              <Icon aria-hidden size={18} />
              <span>{name}</span>
            </Link>
          ))}
        </nav>
        <div className={styles.tools}>
          <span role="status" className={styles.said}>
            {isCopied && 'Address copied'}
          </span>
          <LiveMark />
          <Button onPress={() => setLayer('palette')} aria-label="Search, Ctrl K">
            <Search aria-hidden size={16} />
            <kbd className={styles.wide}>Ctrl K</kbd>
          </Button>
          <Link to="/settings" className={styles.account} activeProps={{ 'aria-current': 'page' }}>
            <UserRound aria-hidden size={18} />
            <bdi className={styles.wide}>{session?.subject ?? 'Settings'}</bdi>
            <span className="hidden">, settings</span>
          </Link>
        </div>
      </header>
      <main id="main" tabIndex={-1} className={styles.page}>
        <Outlet />
      </main>
      <Suspense>
        {layer === 'keys' && <KeyHelp isOpen onClose={close} />}
        {layer === 'palette' && <Palette onClose={close} />}
      </Suspense>
    </>
  );
}

/** The page of a run follows its events. A part of its own: each change of an address would draw the frame again. */
function LiveLists() {
  const isRun = useMatch({
    from: '/signed-in/runs/$runId',
    shouldThrow: false,
    select: () => true,
  });
  useLiveLists(isRun !== true);
  return null;
}
