import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readJson, unwrap } from '../../api/client';
import { prove, type Step, type StepName } from '../../proof/prove';
import { type Say, useText } from '../../text';
import { isProblem, Panel } from '../../ui/parts';
import { Loaded } from '../../ui/states';

const explained = (t: Say): Readonly<Record<StepName, readonly [title: string, text: string]>> => ({
  record: [
    t('Record', 'Registro'),
    t(
      'The SHA-256 of the record, byte for byte as the service keeps it.',
      'El SHA-256 del registro, byte a byte como lo conserva el servicio.',
    ),
  ],
  commit: [
    t('Commitment', 'Compromiso'),
    t(
      'The record hashed with its secret seed. It must be the value in the header.',
      'El registro con su semilla secreta. Debe ser el valor de la cabecera.',
    ),
  ],
  fields: [
    t('Fields', 'Campos'),
    t(
      'Each field is hashed with its own salt, so that one field can be shown without the others.',
      'Cada campo lleva su propia sal, para poder mostrar uno sin los demás.',
    ),
  ],
  header: [
    t('Header', 'Cabecera'),
    t(
      'The header names the entry before it. Its hash is the link of the chain.',
      'La cabecera nombra la entrada anterior. Su hash es el eslabón de la cadena.',
    ),
  ],
  tree: [
    t('Tree', 'Árbol'),
    t(
      'The hash is climbed up the tree of the whole ledger. It must reach the root of the checkpoint.',
      'El hash asciende por el árbol del registro. Debe llegar a la raíz del punto de control.',
    ),
  ],
  checkpoint: [
    t('Checkpoint', 'Punto de control'),
    t('Size and root as the signed note states them.', 'Tamaño y raíz según la nota firmada.'),
  ],
  signature: [
    t('Signature', 'Firma'),
    t(
      'The Ed25519 signature of the log over the checkpoint, checked with its public key. Compare the key with one that you got elsewhere.',
      'La firma Ed25519 sobre el punto de control. Compare la clave con una obtenida por otra vía.',
    ),
  ],
  anchors: [
    t('Witnesses', 'Testigos'),
    t(
      'Who cosigned this checkpoint. Check their signatures with their own keys.',
      'Quién firmó además este punto de control. Compruebe sus firmas con sus claves.',
    ),
  ],
});

export function ProveIt({ id }: { readonly id: string }) {
  const { t } = useText();
  const [asked, setAsked] = useState(false);
  return (
    <Panel title={t('Prove it', 'Demuéstrelo')}>
      <p>
        {t(
          'This browser recomputes every step from the bytes of the event to the signed checkpoint. It does not take the service’s word.',
          'Este navegador recalcula cada paso, de los bytes del evento al punto de control firmado, sin fiarse del servicio.',
        )}
      </p>
      {asked ? (
        <Steps id={id} />
      ) : (
        <button type="button" className="strong" onClick={() => setAsked(true)}>
          {t('Prove it', 'Demuéstrelo')}
        </button>
      )}
    </Panel>
  );
}

function Steps({ id }: { readonly id: string }) {
  const { t } = useText();
  const steps = useQuery({
    queryKey: ['proof', id],
    retry: (count, error) => isProblem(error, 'CONFLICT') && count < 20,
    retryDelay: 1_000,
    queryFn: async () => {
      const params = { path: { id } };
      const [opening, proof] = await Promise.all([
        unwrap(api.GET('/v1/events/{id}/opening', { params })),
        readJson<'EventProof'>(`/v1/events/${id}/proof`),
      ]);
      return prove(opening, proof);
    },
  });
  return (
    <Loaded query={steps} lines={8}>
      {(found) => {
        const holds = found.every((step) => step.holds !== false);
        return (
          <>
            <p role="status" className={holds ? 'note good' : 'problem'}>
              {holds
                ? t(
                    'Proven: every step that was recomputed holds.',
                    'Demostrado: todos los pasos recalculados coinciden.',
                  )
                : t('Not proven: a step failed.', 'No demostrado: un paso no coincide.')}
            </p>
            <ol className="steps">
              {found.map((step) => (
                <StepLine key={step.name} step={step} />
              ))}
            </ol>
          </>
        );
      }}
    </Loaded>
  );
}

function StepLine({ step: { name, holds, computed, claimed } }: { readonly step: Step }) {
  const { t } = useText();
  const [title, text] = explained(t)[name];
  return (
    <li className={holds === null ? '' : holds ? 'good' : 'bad'} data-step={name} data-holds={String(holds)}>
      <h3>
        {title} {holds === null ? '' : holds ? '✓' : '✗'}
      </h3>
      <p>{text}</p>
      <p className="quiet">
        {t('computed', 'calculado')} <code>{computed}</code>
      </p>
      {claimed !== null && (
        <p className="quiet">
          {t('claimed', 'declarado')} <code>{claimed}</code>
        </p>
      )}
    </li>
  );
}
