/** The frame of all pages of one run. */
import { Outlet } from '@tanstack/react-router';

export function RunPage() {
  return <Outlet />;
}
