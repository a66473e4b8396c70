import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';

/** A chart of uPlot in the colours of the page; `make(colour)` gives its options, `label` says what it shows. */
export function Chart({ make, data, label, height, theme }) {
  const place = useRef();
  const chart = useRef();
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    const style = getComputedStyle(place.current);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const axis = {
      stroke: colour('muted'),
      font: `11px ${style.fontFamily}`,
      grid: { stroke: colour('rule'), width: 1 },
      ticks: { show: false },
    };
    const { axes, ...options } = make(colour);
    const width = Math.max(100, Math.floor(place.current.clientWidth));
    chart.current = new UPlot(
      {
        width,
        height,
        legend: { show: false },
        ...options,
        axes: axes.map((each) => ({ ...axis, ...each })),
      },
      latest.current,
      place.current,
    );
    // Observed is the width alone: the height is ours.
    let last = width;
    const observer = new ResizeObserver(([{ contentRect }]) => {
      const now = Math.floor(contentRect.width);
      if (now === last || now < 100) return;
      last = now;
      chart.current.setSize({ width: now, height });
    });
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      chart.current.destroy();
    };
  }, [make, height, theme]);
  useEffect(() => chart.current.setData(data), [data]);
  return <div class="chart" role="img" aria-label={label} ref={place} />;
}
