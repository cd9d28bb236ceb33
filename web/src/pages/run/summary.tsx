/** Did the run pass? If not, what failed first? */
import { getRouteApi } from '@tanstack/react-router';

const route = getRouteApi('/signed-in/runs/$runId');

export function SummaryPage() {
  const { runId } = route.useParams();
  return <h1>{runId}</h1>;
}
