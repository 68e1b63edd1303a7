"use strict";
const boxes = [...document.querySelectorAll("select.label")];
const bar = document.getElementById("labels");
const count = document.getElementById("label-count");
const labelled = () => boxes.filter((box) => box.value);
const quoted = (text) => '"' + text.replaceAll('"', '""') + '"';
const csv = () => {
  const lines = labelled().map((box) => {
    const isNull = box.value.startsWith("null:");
    const { model, scene, file, list } = box.dataset;
    const said = isNull ? ["", box.value.slice(5)] : [box.value.slice(8), ""];
    return [model, scene, file, ...said, list].map(quoted).join(",");
  });
  return ["model,scene,file,outcome,reason,list", ...lines, ""].join("\r\n");
};
for (const box of boxes) {
  box.append(document.getElementById(box.dataset.options).content.cloneNode(true));
  box.disabled = false;
  box.addEventListener("change", () => {
    for (const other of boxes) {
      const same = ["model", "scene", "file"].every((key) => other.dataset[key] === box.dataset[key]);
      if (other !== box && same) other.value = "";
    }
    count.textContent = labelled().length;
  });
}
bar.hidden = boxes.length === 0;
document.getElementById("save-labels").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  link.download = "labels.csv";
  link.click();
});
