import { useQueryClient } from '@tanstack/react-query';
import { Component, type ReactNode, useEffect } from 'react';
import { useReach } from '../api/reach';
import { useText } from '../text';
import { Problem } from '../ui/states';

/** Says that the service cannot be reached, for as long as it cannot, and reads everything again afterwards. */
export function LostConnection() {
  const { t } = useText();
  const { isLost } = useReach();
  const client = useQueryClient();
  useEffect(() => {
    if (!isLost) return;
    return () => void client.invalidateQueries();
  }, [isLost, client]);
  return (
    <div role="status">
      {isLost && (
        <p className="note lost">
          {t(
            'The connection is lost. What you typed is kept. The page tries again every 3 seconds.',
            'Se perdió la conexión. Lo que escribió se conserva. La página lo reintenta cada 3 segundos.',
          )}
        </p>
      )}
    </div>
  );
}

interface BoundaryProps {
  readonly children: ReactNode;
  /** Forgets the files that could not be loaded. */
  readonly onRetry: () => void;
}

interface BoundaryState {
  readonly error: unknown;
}

/** Shows a problem in place of a screen that could not be loaded, so that the rest of the page stays. */
export class ScreenBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    const retry = (): void => {
      this.props.onRetry();
      this.setState({ error: null });
    };
    return <Failed error={this.state.error} onRetry={retry} />;
  }
}

/** The words of all browsers for a script that did not arrive have this one in common. */
const isLoadFailure = (error: unknown): boolean => error instanceof TypeError && error.message.includes('module');

function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { t } = useText();
  return (
    <>
      <h1>{t('This screen did not load', 'Esta pantalla no se cargó')}</h1>
      {isLoadFailure(error) ? (
        <Problem error={error} />
      ) : (
        <p role="alert" className="problem">
          {t(
            'The page has a fault here. Other screens work.',
            'La página tiene un fallo aquí. Otras pantallas funcionan.',
          )}
        </p>
      )}
      <button type="button" onClick={onRetry}>
        {t('Try again', 'Reintentar')}
      </button>
    </>
  );
}
