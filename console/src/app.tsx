import { type ComponentType, lazy, Suspense } from 'react';
import { SignedProvider, useCaller } from './api/session';
import { matched, usePlace } from './router';
import { Shell } from './shell/shell';
import { SignIn } from './shell/sign-in';
import { useText } from './text';
import { Empty, Loaded, Skeleton } from './ui/states';

type Screen = ComponentType<{ readonly id: string }>;

/** A screen loads when it is opened. */
const screen = (load: () => Promise<{ readonly default: Screen }>): Screen => lazy(load);

const SCREENS: readonly (readonly [pattern: string, Screen])[] = [
  ['/', screen(() => import('./screens/home'))],
  ['/search', screen(() => import('./screens/search'))],
  ['/events', screen(() => import('./screens/event/events'))],
  ['/events/:id', screen(() => import('./screens/event/event'))],
  ['/members', screen(() => import('./screens/member/members'))],
  ['/members/:id', screen(() => import('./screens/member/member'))],
  ['/matters', screen(() => import('./screens/legal/matters'))],
  ['/matters/:id', screen(() => import('./screens/legal/matter'))],
  ['/holds/:id', screen(() => import('./screens/legal/hold'))],
  ['/bundles', screen(() => import('./screens/legal/bundles'))],
  ['/bundles/:id', screen(() => import('./screens/legal/bundle'))],
  ['/documents', screen(() => import('./screens/legal/documents'))],
  ['/documents/:id', screen(() => import('./screens/legal/document'))],
  ['/exceptions', screen(() => import('./screens/work/exceptions'))],
  ['/exceptions/:id', screen(() => import('./screens/work/exception'))],
  ['/ingest', screen(() => import('./screens/work/ingest'))],
  ['/ingest/:id', screen(() => import('./screens/work/ingest-outcome'))],
  ['/webhooks', screen(() => import('./screens/work/webhooks'))],
  ['/webhooks/:id', screen(() => import('./screens/work/webhook'))],
  ['/custody', screen(() => import('./screens/legal/custody'))],
  ['/ai', screen(() => import('./screens/work/ai'))],
  ['/graph', screen(() => import('./screens/graph/graph'))],
  ['/admin', screen(() => import('./screens/admin/admin'))],
  ['/query', screen(() => import('./screens/query'))],
];

export function App() {
  const caller = useCaller();
  return (
    <Loaded query={caller}>
      {(found) =>
        found === null ? (
          <SignIn />
        ) : (
          <SignedProvider caller={found}>
            <Shell>
              <Current />
            </Shell>
          </SignedProvider>
        )
      }
    </Loaded>
  );
}

function Current() {
  const { t } = useText();
  const { path } = usePlace();
  for (const [pattern, Found] of SCREENS) {
    const parameters = matched(pattern, path);
    if (parameters === null) continue;
    return (
      <Suspense fallback={<Skeleton lines={8} />}>
        <Found key={path} id={parameters['id'] ?? ''} />
      </Suspense>
    );
  }
  return (
    <>
      <h1>{t('No such screen', 'No existe esta pantalla')}</h1>
      <Empty>
        {t('There is no such screen. Choose one on the left.', 'No existe esta pantalla. Elija una a la izquierda.')}
      </Empty>
    </>
  );
}
