import { useState } from 'react';
import { Drawn, regionOf, useDrag } from './drag';
import type { Region } from './marks';

interface ImagePageProps {
  readonly address: string;
  readonly name: string;
  readonly regions: readonly Region[];
  /** Null where the reader may not redact. */
  readonly onRegion: ((region: Region) => void) | null;
}

/** Shows an image as one page; dragging over it marks a region in its own pixels. */
export function ImagePage({ address, name, regions, onRegion }: ImagePageProps) {
  const [scale, setScale] = useState<number | null>(null);
  const drag = useDrag((box) => {
    if (scale !== null) onRegion?.(regionOf(1, box, (px) => Math.round(px / scale)));
  });
  return (
    <div className="page" data-drawn={scale !== null}>
      <img
        src={address}
        alt={name}
        draggable={false}
        // The width on the screen follows the window, which may have changed since the image loaded.
        onLoad={({ currentTarget: image }) => setScale(image.clientWidth / image.naturalWidth)}
        onPointerEnter={({ currentTarget: image }) => setScale(image.clientWidth / image.naturalWidth)}
        {...(onRegion === null ? {} : drag.handlers)}
      />
      {scale !== null && <Drawn regions={regions.filter(({ page }) => page === 1)} scale={scale} box={drag.box} />}
    </div>
  );
}
