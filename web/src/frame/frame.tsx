/** The frame of every page: navigation, the live state, and the place of the page. */
import { Link, Outlet } from '@tanstack/react-router';
import { Activity, CirclePlay, ListOrdered, Server, Settings } from 'lucide-react';
import styles from './frame.module.css';

const PLACES = [
  { to: '/', name: 'Now', Icon: Activity },
  { to: '/runs', name: 'Runs', Icon: CirclePlay },
  { to: '/queue', name: 'Queue', Icon: ListOrdered },
  { to: '/environments', name: 'Environments', Icon: Server },
  { to: '/settings', name: 'Settings', Icon: Settings },
] as const;

export function Frame() {
  return (
    <>
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
      </header>
      <main id="main" tabIndex={-1} className={styles.page}>
        <Outlet />
      </main>
    </>
  );
}
