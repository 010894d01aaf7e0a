import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, unwrap } from '../../api/client';
import { refine, usePlace } from '../../router';
import { useText } from '../../text';
import { Field, Form, Panel } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';

function usePaths(from: string) {
  const { query } = usePlace();
  const to = query.get('to') ?? '';
  const paths = useQuery({
    queryKey: ['paths', from, to],
    enabled: to !== '',
    queryFn: () => unwrap(api.GET('/v1/graph/paths', { params: { query: { from, to } } })),
  });
  return { to, paths };
}

/** Edges of the shortest path that was asked for. */
export function useMarkedPath(from: string): ReadonlySet<string> {
  const { paths } = usePaths(from);
  const [first] = paths.data?.paths ?? [];
  return useMemo(() => new Set(first?.slice(1).map((node, i) => `${first[i]}\n${node}`)), [first]);
}

export function Paths({ from }: { readonly from: string }) {
  const { t } = useText();
  const { to, paths } = usePaths(from);
  return (
    <Panel title={t('Shortest paths', 'Caminos más cortos')}>
      <To key={to} to={to} />
      {to !== '' && (
        <Loaded query={paths} lines={2}>
          {(found) =>
            found.paths.length === 0 ? (
              <Empty>{t('No path within the limits.', 'Ningún camino dentro de los límites.')}</Empty>
            ) : (
              <ol>
                {found.paths.map((path) => (
                  <li key={path.join(' ')}>{path.join(' → ')}</li>
                ))}
              </ol>
            )
          }
        </Loaded>
      )}
    </Panel>
  );
}

function To({ to }: { readonly to: string }) {
  const { t } = useText();
  const [text, setText] = useState(to);
  const find = async (): Promise<void> => refine({ to: text.trim() });
  return (
    <Form submit={t('Find', 'Buscar')} onSubmit={find}>
      <Field label={t('To the node', 'Hasta el nodo')} value={text} onChange={setText} />
    </Form>
  );
}
