import { Link } from '../../router';
import { useText } from '../../text';
import { Table } from '../../ui/list';
import { Badge, Panel, Time } from '../../ui/parts';
import { NodeSteps } from './chosen-node';
import { RecordLink } from './record-link';
import type { GraphView } from './shape';

/** The same data as the picture, for readers who do not see it. */
export function GraphTables({ view }: { readonly view: GraphView }) {
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
          [t('Behind it', 'Detrás'), (node) => <NodeSteps id={node.id} />],
          [t('Record', 'Registro'), (node) => <RecordLink id={node.id} />],
        ]}
      />
      <details>
        <summary>{t('Edges', 'Aristas')}</summary>
        <Table
          label={t('Edges', 'Aristas')}
          items={view.edges}
          keyOf={(edge) => `${edge.from} ${edge.kind} ${edge.to} ${edge.event_id ?? ''}`}
          columns={[
            [t('From', 'De'), (edge) => edge.from],
            [t('Kind', 'Tipo'), (edge) => edge.kind],
            [t('To', 'A'), (edge) => edge.to],
            [t('When', 'Cuándo'), (edge) => <Time at={edge.at} />],
          ]}
        />
      </details>
    </Panel>
  );
}
