import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { api, save, saveBlob, unwrap } from '../../api/client';
import { refine, usePlace } from '../../router';
import { statedPurpose } from '../../shell/purpose';
import { useText } from '../../text';
import { Deed } from '../../ui/parts';
import { Loaded, Problem } from '../../ui/states';
import { listOf, rootOf } from './address';
import { GraphCanvas } from './canvas';
import { ChosenNode } from './chosen-node';
import { toGraphml, toSvg } from './export';
import { Filters } from './filters';
import { placed } from './layout';
import { Paths, useMarkedPath } from './paths';
import { type GraphView, joined, shaped } from './shape';
import { GraphTables } from './tables';

interface Question {
  readonly depth: number;
  readonly limit: number;
  readonly kinds?: string;
  readonly until?: string;
}

interface ExploredProps {
  readonly start: string;
  readonly question: Question;
}

const purpose = (): { readonly purpose?: string } => {
  const stated = statedPurpose();
  return stated === null ? {} : { purpose: stated };
};

/** Reads the graph around the start, and one more step around each node that the reader has expanded. */
export function ExploredGraph({ start, question }: ExploredProps) {
  const { t } = useText();
  const { query } = usePlace();
  const open = listOf(query.get('open'));
  const read = (node: string, depth: number) => ({
    queryKey: ['graph', node, { ...question, depth }],
    queryFn: () =>
      unwrap(
        api.GET('/v1/graph/subgraph', {
          params: { query: { ...question, ...purpose(), roots: rootOf(node), depth } },
        }),
      ),
  });
  const first = useQuery(read(start, question.depth));
  const more = useQueries({ queries: open.map((node) => read(node, 1)) });
  const failed = more.find((one) => one.isError);
  const views = [first, ...more].flatMap(({ data }) => (data === undefined ? [] : [data]));
  const whole = joined(views);
  const withheld = first.data?.withheld;
  return (
    <Loaded query={first} lines={8}>
      {() => (
        <>
          {views.some((view) => view.truncated) && (
            <p className="note">
              {t(
                `Only the first ${question.limit} nodes are shown.`,
                `Solo se muestran los primeros ${question.limit} nodos.`,
              )}
            </p>
          )}
          {withheld && (
            <p className="note">
              {t(
                `${withheld.count} records are withheld (${withheld.reason}).`,
                `${withheld.count} registros no se muestran (${withheld.reason}).`,
              )}
            </p>
          )}
          {failed && <Problem error={failed.error} />}
          <ShownGraph start={start} whole={whole} />
        </>
      )}
    </Loaded>
  );
}

interface ShownProps {
  readonly start: string;
  readonly whole: GraphView;
}

function ShownGraph({ start, whole }: ShownProps) {
  const { t } = useText();
  const { query } = usePlace();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [untilMs, setUntilMs] = useState<number | null>(null);
  const hide = query.get('hide');
  const closed = query.get('closed');
  const hubs = query.get('hubs');
  // The parts of the address are texts, so that the graph is shaped again only when one of them changes.
  const size = `${whole.nodes.length} ${whole.edges.length}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `whole` is joined at each render; its size says whether it changed.
  const view = useMemo(
    () =>
      shaped(whole, {
        start,
        hidden: new Set(listOf(hide)),
        maxEdges: hubs === null ? null : Number(hubs),
        untilMs,
        collapsed: new Set(listOf(closed)),
      }),
    [size, start, hide, closed, hubs, untilMs],
  );
  const places = useMemo(() => placed(start, view.nodes, view.edges), [start, view]);
  const marked = useMarkedPath(start);
  const node = whole.nodes.find(({ id }) => id === chosen);
  const png = (): Promise<void> =>
    new Promise((resolve, reject) => {
      canvas.current?.toBlob((blob) => {
        if (blob === null) return reject(new Error('the picture is empty'));
        saveBlob(blob, 'graph.png');
        resolve();
      });
    });
  const file = (text: string, type: string, name: string) => async (): Promise<void> =>
    saveBlob(new Blob([text], { type }), name);
  return (
    <>
      <Filters whole={whole} untilMs={untilMs} onUntil={setUntilMs} />
      <GraphCanvas view={view} places={places} marked={marked} canvas={canvas} onChoose={setChosen} />
      {node && <ChosenNode node={node} start={start} />}
      <p>
        <Deed label={t('Save as PNG', 'Guardar en PNG')} run={png} />
        <Deed
          label={t('Save as SVG', 'Guardar en SVG')}
          run={() => file(toSvg(view, places), 'image/svg+xml', 'graph.svg')()}
        />
        <Deed
          label={t('Save as GraphML', 'Guardar en GraphML')}
          run={() => file(toGraphml(view), 'application/graphml+xml', 'graph.graphml')()}
        />
        <Deed
          label={t('Export the whole graph as GraphML', 'Exportar todo el grafo en GraphML')}
          run={() => save('/v1/graph/export?format=graphml', 'graph-all.graphml')}
        />
        <button type="button" onClick={() => refine({ hide: '', closed: '', open: '', hubs: '' })}>
          {t('Show everything again', 'Mostrar todo de nuevo')}
        </button>
      </p>
      <GraphTables view={view} />
      <Paths from={start} />
    </>
  );
}
