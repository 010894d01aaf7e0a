import { refine, usePlace } from '../../router';
import { useText } from '../../text';
import { Field, Time } from '../../ui/parts';
import { listOf, toggleIn } from './address';
import { type GraphView, spanOf } from './shape';

const HUBS = ['100', '50', '20', '10'] as const;
/** Stops of the time slider. */
const STOPS = 200;

interface FiltersProps {
  readonly whole: GraphView;
  readonly untilMs: number | null;
  readonly onUntil: (untilMs: number | null) => void;
}

/** Filters of the nodes that the page has; they ask the service nothing. */
export function Filters({ whole, untilMs, onUntil }: FiltersProps) {
  const { t } = useText();
  const { query } = usePlace();
  const hidden = listOf(query.get('hide'));
  const kinds = [...new Set(whole.nodes.map(({ kind }) => kind))].sort();
  const span = spanOf(whole.edges);
  return (
    <div className="row">
      <fieldset>
        <legend>{t('Kinds of nodes', 'Tipos de nodo')}</legend>
        {kinds.map((kind) => (
          <label key={kind}>
            <input type="checkbox" checked={!hidden.includes(kind)} onChange={() => toggleIn('hide', hidden, kind)} />{' '}
            {kind}
          </label>
        ))}
      </fieldset>
      <Field
        label={t('Hide hubs', 'Ocultar nodos muy conectados')}
        value={query.get('hubs') ?? ''}
        onChange={(value) => refine({ hubs: value })}
        options={[
          ['', t('show all', 'mostrar todos')],
          ...HUBS.map((one) => [one, t(`over ${one} edges`, `más de ${one} aristas`)] as const),
        ]}
      />
      {span !== null && (
        <label className="field">
          {t('Up to the time', 'Hasta el momento')}
          <input
            type="range"
            min={0}
            max={STOPS}
            value={untilMs === null ? STOPS : Math.round((STOPS * (untilMs - span[0])) / (span[1] - span[0]))}
            onChange={(event) => {
              const stop = Number(event.target.value);
              onUntil(stop >= STOPS ? null : span[0] + ((span[1] - span[0]) * stop) / STOPS);
            }}
          />
          <span className="quiet">
            <Time at={new Date(untilMs ?? span[1]).toISOString()} />
          </span>
        </label>
      )}
    </div>
  );
}
