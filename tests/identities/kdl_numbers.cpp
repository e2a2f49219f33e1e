// kdl_numbers.cpp: prints random chains computed by KDL (Orocos), as in tests/data/kdl_chains.inc.
//   c++ -O1 -I/usr/include/eigen3 kdl_numbers.cpp -lorocos-kdl -o kdl_numbers && ./kdl_numbers
#include <cstdio>
#include <cstdint>
#include <kdl/chain.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

static uint64_t state = 2026;
static double uniform(double low, double high) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * double(state >> 11) * 0x1p-53;
}
static KDL::Vector vec(double s) {
  double x = uniform(-s, s), y = uniform(-s, s), z = uniform(-s, s);
  return KDL::Vector(x, y, z);
}

int main() {
  puts("/* Chains of hinges and sliders and the forces KDL 1.5.1 (Orocos) finds for them: made by\n"
       " * tests/identities/kdl_numbers.cpp. A joint: slides; axis; q, q', q''; mass, centre of mass, principal\n"
       " * moments about it; place of the next joint: position, roll, pitch, yaw; force. */\n"
       "static const struct kdl_chain {\n  int joints;\n  double gravity[3];\n  struct {\n"
       "    double slides, axis[3], q[3], mass, com[3], moments[3], p[3], rpy[3], tau;\n  } joint[8];\n"
       "} kdl_chains[] = {");
  for (int c = 0; c < 24; c++) {
    int n = 1 + c % 8;
    KDL::Chain chain;
    KDL::JntArray q(n), qd(n), qdd(n), tau(n);
    KDL::Vector g = vec(10), axis[8], com[8], p[8];
    double mass[8], J[8][3], rpy[8][3], slides[8];
    for (int i = 0; i < n; i++) {
      slides[i] = uniform(0, 1) < 0.3;
      axis[i] = vec(1);
      axis[i] = axis[i] / axis[i].Norm();
      com[i] = vec(0.3), p[i] = vec(0.5), mass[i] = uniform(0.5, 4);
      double a = uniform(0.01, 0.1), b = uniform(0.01, 0.1), d = uniform(0.01, 0.1);
      J[i][0] = b + d, J[i][1] = a + d, J[i][2] = a + b;
      for (int k = 0; k < 3; k++) rpy[i][k] = uniform(-3, 3);
      q(i) = uniform(-2, 2), qd(i) = uniform(-3, 3), qdd(i) = uniform(-5, 5);
      KDL::Rotation R = KDL::Rotation::RPY(rpy[i][0], rpy[i][1], rpy[i][2]);
      KDL::Frame tip(R, p[i]);
      // KDL needs the inertia in the frame of the tip
      KDL::RotationalInertia I(J[i][0], J[i][1], J[i][2], 0, 0, 0);
      KDL::RigidBodyInertia at_joint(mass[i], com[i], I);
      chain.addSegment(KDL::Segment("s", KDL::Joint("j", KDL::Vector::Zero(), axis[i],
                                                    slides[i] ? KDL::Joint::TransAxis : KDL::Joint::RotAxis),
                                    tip, tip.Inverse() * at_joint));
    }
    KDL::ChainIdSolver_RNE solver(chain, g);
    KDL::Wrenches none(n, KDL::Wrench::Zero());
    if (solver.CartToJnt(q, qd, qdd, none, tau) < 0) return 1;
    printf("    {%d, {%.17g, %.17g, %.17g}, {\n", n, g.x(), g.y(), g.z());
    for (int i = 0; i < n; i++) {
      printf("        {%g, {%.17g, %.17g, %.17g}, {%.17g, %.17g, %.17g}, %.17g,\n", slides[i], axis[i].x(),
             axis[i].y(), axis[i].z(), q(i), qd(i), qdd(i), mass[i]);
      printf("         {%.17g, %.17g, %.17g}, {%.17g, %.17g, %.17g},\n", com[i].x(), com[i].y(), com[i].z(),
             J[i][0], J[i][1], J[i][2]);
      printf("         {%.17g, %.17g, %.17g}, {%.17g, %.17g, %.17g}, %.17g},\n", p[i].x(), p[i].y(), p[i].z(),
             rpy[i][0], rpy[i][1], rpy[i][2], tau(i));
    }
    puts("    }},");
  }
  puts("};");
}
