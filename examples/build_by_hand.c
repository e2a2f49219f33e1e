/* build_by_hand.c: one robot described twice, by screws and by joint frames, without any file.
 *
 * A base on a rail, a shoulder and a screw spindle:
 *   rail      prismatic along x
 *   shoulder  revolute about y through (0, 0, 1)
 *   spindle   helical along z through (0.5, 0, 1), 2 cm per turn
 * Both must give the same torques to rounding, at every order. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

enum { ORDER = 3, N = 3 };

static const double pitch = 0.02 / 6.283185307179586; /* metres per radian */

static jn_mat3 diagonal(double x, double y, double z) {
  return (jn_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}
static jn_pose at(double x, double y, double z) {
  return jn_pose_make(jn_m3_identity(), jn_v3(x, y, z));
}

/* Links are the same for both; only JN_BY_SCREW uses `home`, the link frame in the world at
 * zero. */
static void add_links(jn_spec *spec) {
  jn_link_desc slide = jn_link_default("slide"), arm = jn_link_default("arm"),
               tool = jn_link_default("tool");
  slide.mass = 5, slide.inertia = diagonal(0.1, 0.1, 0.1);
  arm.mass = 2, arm.com = jn_v3(0.25, 0, 0), arm.inertia = diagonal(0.002, 0.04, 0.04);
  tool.mass = 0.5, tool.com = jn_v3(0, 0.03, -0.1), tool.inertia = diagonal(0.002, 0.002, 0.001);
  arm.home = at(0, 0, 1);
  tool.home = at(0.5, 0, 1);
  jn_spec_add_link(spec, &slide);
  jn_spec_add_link(spec, &arm);
  jn_spec_add_link(spec, &tool);
}

/* axis and point in the world, at the home configuration */
static void add_screw(jn_spec *spec, const char *name, jn_joint_type type, const char *parent,
                      const char *child, jn_vec3 axis, jn_vec3 point) {
  jn_joint_desc j = jn_joint_default(name, type, parent, child);
  j.placement = JN_BY_SCREW;
  j.axis[0] = axis;
  j.point = point;
  j.pitch = pitch; /* only read for a helical joint */
  jn_spec_add_joint(spec, &j);
}

/* the joint frame in the parent link's frame, the axis in the joint frame */
static void add_frame(jn_spec *spec, const char *name, jn_joint_type type, const char *parent,
                      const char *child, jn_vec3 axis, jn_pose origin) {
  jn_joint_desc j = jn_joint_default(name, type, parent, child);
  j.placement = JN_BY_FRAME;
  j.axis[0] = axis;
  j.origin = origin;
  j.pitch = pitch;
  jn_spec_add_joint(spec, &j);
}

static int torques(jn_spec *spec, double *tau) {
  jn_model *model;
  jn_data *data = NULL;
  jn_error error;
  /* every error in the description is found and reported here */
  if (jn_model_build(spec, NULL, NULL, &model, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 0;
  }
  const double q[N] = {0.2, -0.4, 3};
  const double v[(ORDER + 2) * N] = {0.5, 1, 20, -1, 2, 0, 0.3, -4, 10, 0, 1, 0, 2, 0, 5};
  int good = !jn_data_new(model, ORDER, NULL, &data) &&
             !jn_inverse_dynamics(model, data, ORDER, q, v, NULL, tau);
  jn_data_free(data);
  jn_model_free(model);
  return good;
}

int main(void) {
  const jn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  double screws[(ORDER + 1) * N], frames[(ORDER + 1) * N], worst = 0;
  jn_spec *spec;

  if (jn_spec_new("by screws", NULL, &spec)) return 1;
  add_links(spec);
  add_screw(spec, "rail", JN_JOINT_PRISMATIC, NULL, "slide", x, jn_v3(0, 0, 0));
  add_screw(spec, "shoulder", JN_JOINT_REVOLUTE, "slide", "arm", y, jn_v3(0, 0, 1));
  add_screw(spec, "spindle", JN_JOINT_HELICAL, "arm", "tool", z, jn_v3(0.5, 0, 1));
  int good = torques(spec, screws);
  jn_spec_free(spec);

  if (jn_spec_new("by frames", NULL, &spec)) return 1;
  add_links(spec);
  add_frame(spec, "rail", JN_JOINT_PRISMATIC, NULL, "slide", x, at(0, 0, 0));
  add_frame(spec, "shoulder", JN_JOINT_REVOLUTE, "slide", "arm", y, at(0, 0, 1));
  add_frame(spec, "spindle", JN_JOINT_HELICAL, "arm", "tool", z, at(0.5, 0, 0));
  good = torques(spec, frames) && good;
  jn_spec_free(spec);
  if (!good) return 1;

  printf("order      rail [N]  shoulder [N m]  spindle [N m]\n");
  for (int k = 0; k <= ORDER; k++) {
    const double *t = screws + k * N;
    printf("%5d  %12.5f  %14.5f  %13.5f\n", k, t[0], t[1], t[2]);
    for (int i = 0; i < N; i++)
      worst = fmax(worst, fabs(t[i] - frames[k * N + i]) / fmax(1, fabs(t[i])));
  }
  printf("screws and frames differ by %.1e\n", worst);
  return worst < 1e-12 ? 0 : 1;
}
