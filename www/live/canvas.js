/** Readies a canvas for drawing in CSS pixels at the screen's resolution; colours come from the style sheet. */
export function begin(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  context.font = `11px ${style.fontFamily}`;
  return { context, width, height, color: (name) => style.getPropertyValue(`--${name}`) };
}
