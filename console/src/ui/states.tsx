import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client';
import { useText } from '../text';
import { SignInAgain } from './sign-in-again';

/** What went wrong, in the service's own words, with the number to ask about it. */
export function Problem({ error }: { readonly error: unknown }) {
  const { t } = useText();
  if (!(error instanceof ApiError)) {
    return (
      <div className="problem" role="alert">
        <p>
          {t(
            'The service cannot be reached. Your input is kept; try again.',
            'No se puede contactar con el servicio. Sus datos se conservan; inténtelo de nuevo.',
          )}
        </p>
      </div>
    );
  }
  return (
    <div className="problem" role="alert">
      <p>{error.message}</p>
      {error.faults.length > 0 && (
        <ul>
          {error.faults.map((fault) => (
            <li key={`${fault.path} ${fault.code}`}>
              <code>{fault.path}</code> {fault.message}
            </li>
          ))}
        </ul>
      )}
      {error.code === 'STEP_UP_REQUIRED' && <SignInAgain />}
      <p className="quiet">
        {error.code} · {t('request', 'solicitud')} <code>{error.requestId}</code>
      </p>
    </div>
  );
}

export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  const { t } = useText();
  return (
    <div className="skeleton" role="status" aria-label={t('Loading', 'Cargando')}>
      {Array.from({ length: lines }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never move.
        <span key={i} />
      ))}
    </div>
  );
}

export const Empty = ({ children }: { readonly children: ReactNode }) => <p className="empty">{children}</p>;

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  readonly lines?: number;
}

/** The data, or why there are none yet. */
export function Loaded<T>({ query, children, lines }: LoadedProps<T>) {
  const { t } = useText();
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) {
    return (
      <>
        <Problem error={query.error} />
        <button type="button" onClick={() => void query.refetch()}>
          {t('Try again', 'Reintentar')}
        </button>
      </>
    );
  }
  return <Skeleton {...(lines === undefined ? {} : { lines })} />;
}
