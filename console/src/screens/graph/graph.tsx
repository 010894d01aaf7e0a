import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { type Api, api, save, unwrap } from '../../api/client';
import { Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { Table } from '../../ui/list';
import { Badge, Deed, Field, Panel, Time } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';
import { GraphCanvas } from './canvas';

const LIMIT = 500;
const PLACES: Readonly<Record<string, string>> = {
  event: 'events',
  member: 'members',
  document: 'documents',
  bundle: 'bundles',
  matter: 'matters',
  hold: 'holds',
};

/** The screen of a node's record, where it has one. */
function placeOf(id: string): string | null {
  const [kind = ''] = id.split(':');
  const place = PLACES[kind];
  return place === undefined ? null : `/${place}/${encodeURIComponent(id.slice(kind.length + 1))}`;
}

/** The view is its address: share it, keep it, go back to it. */
export default function Graph() {
  const { t } = useText();
  const { query } = usePlace();
  const node = query.get('node') ?? '';
  const depth = query.get('depth') ?? '2';
  const kinds = query.get('kinds') ?? '';
  const until = query.get('until') ?? '';
  return (
    <>
      <h1>{t('Graph', 'Grafo')}</h1>
      <div className="row">
        <Field
          label={t('Start at', 'Empezar en')}
          value={node}
          onChange={(value) => refine({ node: value })}
          hint={t(
            'member:M-1, event:evt_…, claim:SOURCE/ID, code:SYSTEM/CODE, provider:NPI',
            'member:M-1, event:evt_…, claim:ORIGEN/ID, code:SISTEMA/CÓDIGO, provider:NPI',
          )}
        />
        <Field
          label={t('Steps', 'Pasos')}
          value={depth}
          onChange={(value) => refine({ depth: value })}
          options={['1', '2', '3'].map((one) => [one, one] as const)}
        />
        <Field
          label={t('Kinds of edges', 'Tipos de arista')}
          value={kinds}
          onChange={(value) => refine({ kinds: value })}
          hint={t('Separated by commas; all by default.', 'Separados por comas; todos por defecto.')}
        />
        <Field label={t('Until', 'Hasta')} type="date" value={until} onChange={(value) => refine({ until: value })} />
      </div>
      {node === '' ? (
        <Empty>
          {t(
            'Type a node, or open a member and choose "Open in the graph".',
            'Escriba un nodo, o abra un afiliado y elija «Abrir en el grafo».',
          )}
        </Empty>
      ) : (
        <View node={node} depth={Number(depth)} kinds={kinds} until={until} />
      )}
    </>
  );
}

interface ViewProps {
  readonly node: string;
  readonly depth: number;
  readonly kinds: string;
  readonly until: string;
}

function View({ node, depth, kinds, until }: ViewProps) {
  const { t } = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const where = {
    roots: node,
    depth,
    limit: LIMIT,
    ...(kinds === '' ? {} : { kinds }),
    ...(until === '' ? {} : { until: `${until}T00:00:00Z` }),
  };
  const view = useQuery({
    queryKey: ['graph', where],
    queryFn: () => unwrap(api.GET('/v1/graph/subgraph', { params: { query: where } })),
  });
  const png = async (): Promise<void> => {
    const address = canvas.current?.toDataURL('image/png');
    if (address === undefined) return;
    const link = document.createElement('a');
    link.href = address;
    link.download = 'graph.png';
    link.click();
  };
  return (
    <Loaded query={view} lines={8}>
      {(found) => (
        <>
          {found.truncated && (
            <p className="note">
              {t(`Only the first ${LIMIT} nodes are shown.`, `Solo se muestran los primeros ${LIMIT} nodos.`)}
            </p>
          )}
          <GraphCanvas view={found} start={node} canvas={canvas} onOpen={(id) => refine({ node: id })} />
          <p>
            <Deed label={t('Save as PNG', 'Guardar en PNG')} run={png} />
            <Deed
              label={t('Export the whole graph as GraphML', 'Exportar todo el grafo en GraphML')}
              run={() => save('/v1/graph/export?format=graphml', 'graph.graphml')}
            />
          </p>
          <Nodes view={found} />
          <Paths from={node} />
        </>
      )}
    </Loaded>
  );
}

function Nodes({ view }: { readonly view: Api<'GraphView'> }) {
  const { t } = useText();
  return (
    <Panel
      title={t(
        `${view.nodes.length} nodes, ${view.edges.length} edges`,
        `${view.nodes.length} nodos, ${view.edges.length} aristas`,
      )}
    >
      <Table
        label={t('Nodes', 'Nodos')}
        items={view.nodes}
        keyOf={(node) => node.id}
        columns={[
          [t('Node', 'Nodo'), (node) => <Link to={`/graph?node=${encodeURIComponent(node.id)}`}>{node.id}</Link>],
          [t('Kind', 'Tipo'), (node) => node.kind],
          [t('Status', 'Estado'), (node) => <Badge>{node.status}</Badge>],
          [t('When', 'Cuándo'), (node) => <Time at={node.at} />],
          [t('Record', 'Registro'), (node) => <RecordLink id={node.id} />],
        ]}
      />
    </Panel>
  );
}

function RecordLink({ id }: { readonly id: string }) {
  const { t } = useText();
  const place = placeOf(id);
  return place === null ? null : <Link to={place}>{t('Open', 'Abrir')}</Link>;
}

function Paths({ from }: { readonly from: string }) {
  const { t } = useText();
  const { query } = usePlace();
  const to = query.get('to') ?? '';
  const paths = useQuery({
    queryKey: ['paths', from, to],
    enabled: to !== '',
    queryFn: () => unwrap(api.GET('/v1/graph/paths', { params: { query: { from, to } } })),
  });
  return (
    <Panel title={t('Shortest paths', 'Caminos más cortos')}>
      <Field label={t('To the node', 'Hasta el nodo')} value={to} onChange={(value) => refine({ to: value })} />
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
