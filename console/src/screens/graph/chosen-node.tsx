import type { Api } from '../../api/client';
import { Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { Badge, Panel } from '../../ui/parts';
import { listOf, toggleIn } from './address';
import { RecordLink } from './record-link';

interface ChosenNodeProps {
  readonly node: Api<'GraphNode'>;
  readonly start: string;
}

/** What can be done from the node that the reader has clicked. */
export function ChosenNode({ node, start }: ChosenNodeProps) {
  const { t } = useText();
  return (
    <Panel title={node.id} actions={<Badge>{node.status}</Badge>}>
      <p className="row" data-chosen>
        <NodeSteps id={node.id} />
        {node.id !== start && (
          <>
            <Link to={`/graph?node=${encodeURIComponent(node.id)}`}>{t('Start here', 'Empezar aquí')}</Link>
            <button type="button" onClick={() => refine({ to: node.id })}>
              {t('Shortest path to here', 'Camino más corto hasta aquí')}
            </button>
          </>
        )}
        <RecordLink id={node.id} />
      </p>
    </Panel>
  );
}

/** Shows or hides the neighbours of a node. */
export function NodeSteps({ id }: { readonly id: string }) {
  const { t } = useText();
  const { query } = usePlace();
  const open = listOf(query.get('open'));
  const closed = listOf(query.get('closed'));
  return (
    <>
      <button
        type="button"
        aria-label={t(`Expand ${id}`, `Expandir ${id}`)}
        disabled={open.includes(id)}
        onClick={() => toggleIn('open', open, id)}
      >
        {t('Expand', 'Expandir')}
      </button>
      <button
        type="button"
        aria-label={closed.includes(id) ? t(`Reopen ${id}`, `Reabrir ${id}`) : t(`Collapse ${id}`, `Contraer ${id}`)}
        onClick={() => toggleIn('closed', closed, id)}
      >
        {closed.includes(id) ? t('Reopen', 'Reabrir') : t('Collapse', 'Contraer')}
      </button>
    </>
  );
}
