import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { go, Link } from '../../router';
import { useText } from '../../text';
import { Badge, Deed, Details, Field, Form, Panel, Time } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';

export default function MatterScreen({ id }: { readonly id: string }) {
  const { t } = useText();
  const { may } = useSigned();
  const matter = useQuery({
    queryKey: ['matter', id],
    queryFn: () => unwrap(api.GET('/v1/legal-matters/{id}', { params: { path: { id } } })),
  });
  const reload = (): void => void matter.refetch();
  const bundle = async (): Promise<void> => {
    const made = await unwrap(api.POST('/v1/bundles', { body: { scope: { matter_id: id } } }));
    go(`/bundles/${made.bundle_id}`);
  };
  const close = async (): Promise<void> => {
    await unwrap(api.POST('/v1/legal-matters/{id}/close', { params: { path: { id } }, body: {} }));
    reload();
  };
  return (
    <Loaded query={matter} lines={6}>
      {(found) => (
        <>
          <h1>{found.name}</h1>
          <Panel title={t('Matter', 'Asunto')} actions={<Badge>{found.status}</Badge>}>
            <Details
              facts={[
                [t('Kind', 'Tipo'), found.kind],
                [t('Opened', 'Abierto'), <Time key="o" at={found.created_at} />],
                [t('Description', 'Descripción'), found.description],
              ]}
            />
            {may('bundles:request') && (
              <Deed
                strong
                label={t('Request a bundle of this matter', 'Solicitar un expediente del asunto')}
                run={bundle}
              />
            )}
            {found.status === 'OPEN' && may('matters:write') && (
              <Deed label={t('Close the matter', 'Cerrar el asunto')} run={close} />
            )}
          </Panel>
          <Linked matter={found} />
          {found.status === 'OPEN' && may('matters:write') && <AddMember id={id} onDone={reload} />}
        </>
      )}
    </Loaded>
  );
}

function Linked({ matter }: { readonly matter: Api<'LegalMatter'> }) {
  const { t } = useText();
  const links = [
    ...matter.member_ids.map((ref) => ['members', ref] as const),
    ...matter.hold_ids.map((ref) => ['holds', ref] as const),
    ...matter.bundle_ids.map((ref) => ['bundles', ref] as const),
    ...matter.document_ids.map((ref) => ['documents', ref] as const),
    ...matter.exception_ids.map((ref) => ['exceptions', ref] as const),
  ];
  return (
    <Panel title={t('In this matter', 'En este asunto')}>
      {links.length === 0 ? (
        <Empty>{t('Nothing is linked yet. Add a member below.', 'Nada vinculado. Añada un afiliado abajo.')}</Empty>
      ) : (
        <ul>
          {links.map(([place, ref]) => (
            <li key={`${place} ${ref}`}>
              <Link to={`/${place}/${encodeURIComponent(ref)}`}>{ref}</Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function AddMember({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { t } = useText();
  const [ref, setRef] = useState('');
  const add = async (): Promise<void> => {
    await unwrap(
      api.POST('/v1/legal-matters/{id}/members/{ref}', { params: { path: { id, ref: ref.trim() } }, body: {} }),
    );
    setRef('');
    onDone();
  };
  return (
    <Panel title={t('Add a member', 'Añadir un afiliado')}>
      <Form submit={t('Add', 'Añadir')} onSubmit={add}>
        <Field label={t('Member identifier', 'Identificador del afiliado')} value={ref} onChange={setRef} required />
      </Form>
    </Panel>
  );
}
