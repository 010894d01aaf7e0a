import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useReach } from './api/reach';
import { SignedProvider, useCaller } from './api/session';
import { matched, usePlace } from './router';
import { LostConnection, ScreenBoundary } from './shell/lost';
import { SessionEnded } from './shell/session-ended';
import { Shell } from './shell/shell';
import { SignIn } from './shell/sign-in';
import { useText } from './text';
import { Empty, Loaded, Skeleton } from './ui/states';

type Screen = ComponentType<{ readonly id: string }>;

type Load = () => Promise<{ readonly default: Screen }>;

/** Screens that were opened. A screen loads when it is opened, and again after its files could not be loaded. */
const opened = new Map<Load, Screen>();

function screenOf(load: Load): Screen {
  const found = opened.get(load) ?? lazy(load);
  opened.set(load, found);
  return found;
}

const SCREENS: readonly (readonly [pattern: string, Load])[] = [
  ['/', () => import('./screens/home')],
  ['/search', () => import('./screens/search')],
  ['/events', () => import('./screens/event/events')],
  ['/events/:id', () => import('./screens/event/event')],
  ['/members', () => import('./screens/member/members')],
  ['/members/:id', () => import('./screens/member/member')],
  ['/matters', () => import('./screens/legal/matters')],
  ['/matters/:id', () => import('./screens/legal/matter')],
  ['/holds/:id', () => import('./screens/legal/hold')],
  ['/bundles', () => import('./screens/legal/bundles')],
  ['/bundles/:id', () => import('./screens/legal/bundle')],
  ['/documents', () => import('./screens/legal/documents')],
  ['/documents/:id', () => import('./screens/legal/document')],
  ['/exceptions', () => import('./screens/work/exceptions')],
  ['/exceptions/:id', () => import('./screens/work/exception')],
  ['/ingest', () => import('./screens/work/ingest')],
  ['/ingest/:id', () => import('./screens/work/ingest-outcome')],
  ['/webhooks', () => import('./screens/work/webhooks')],
  ['/webhooks/:id', () => import('./screens/work/webhook')],
  ['/custody', () => import('./screens/legal/custody')],
  ['/ai', () => import('./screens/work/ai')],
  ['/graph', () => import('./screens/graph/graph')],
  ['/admin', () => import('./screens/admin/admin')],
  ['/rules', () => import('./screens/rules/rules')],
  ['/rules/:id', () => import('./screens/rules/rule')],
  ['/query', () => import('./screens/query/query')],
];

/** The page of a link needs no session, and asks for none. */
const SharedNotice = lazy(() => import('./screens/legal/shared-notice'));

/** Begins to load the files of the screen at the address, while the page asks who is signed in. */
export function preloadScreen(path: string): void {
  const found = SCREENS.find(([pattern]) => matched(pattern, path) !== null);
  // A failure shows when the screen opens, with a way to try again.
  found?.[1]().catch(() => undefined);
}

export function App() {
  const { path } = usePlace();
  if (path !== '/notice') return <SignedApp />;
  return (
    <Suspense fallback={<Skeleton lines={8} />}>
      <SharedNotice />
    </Suspense>
  );
}

function SignedApp() {
  const caller = useCaller();
  const { isEnded } = useReach();
  return (
    <>
      <LostConnection />
      <Loaded query={caller}>
        {(found) =>
          found === null ? (
            <SignIn />
          ) : (
            <SignedProvider key={`${found.key_id} ${found.tenant_id}`} caller={found}>
              {isEnded && <SessionEnded caller={found} />}
              <div hidden={isEnded}>
                <Shell>
                  <Current />
                </Shell>
              </div>
            </SignedProvider>
          )
        }
      </Loaded>
    </>
  );
}

function Current() {
  const { t } = useText();
  const { path } = usePlace();
  const [, setTries] = useState(0);
  for (const [pattern, load] of SCREENS) {
    const parameters = matched(pattern, path);
    if (parameters === null) continue;
    const Found = screenOf(load);
    const again = (): void => {
      opened.delete(load);
      setTries((tries) => tries + 1);
    };
    return (
      <ScreenBoundary key={path} onRetry={again}>
        <Suspense fallback={<Skeleton lines={8} />}>
          <Found id={parameters['id'] ?? ''} />
        </Suspense>
      </ScreenBoundary>
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
